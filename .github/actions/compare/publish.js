// What a pull request gets of a comparison: its comment with the commit that it is about, in place of that of
// the last run, and a neutral check where nothing can be told. The token of a fork's pull request may write
// neither: a warning in the log says so.
const fs = require('fs')

// GitHub takes 65536 characters.
const MOST = 65000
const CHECKS = {
  good: ['success', 'No regression'], regressed: ['failure', 'A regression'],
  'cannot-tell': ['neutral', 'Cannot tell'],
  'not-decided': ['failure', 'Not decided, which --strict treats as a failure'],
}

module.exports = async ({ github, context, core }, environment) => {
  const { OUTCOME, COMMENT, CHECK, NAME = 'comparison', FILE = 'comparison.md' } = environment
  const run = `${context.serverUrl}/${context.repo.owner}/${context.repo.repo}/actions/runs/${context.runId}`
  const { sha } = context.payload.pull_request.head
  const tryTo = async (what, write) => {
    try { await write() } catch (error) {
      const reason = `${error.message}. The job needs the permission; forks have none.`
      core.warning(`${what} was not written: ${reason}`)
    }
  }
  if (COMMENT === 'true') {
    // Else what the last run said would stand there still.
    const text = fs.existsSync(FILE) ? fs.readFileSync(FILE, 'utf8') : '### Could not compare\n'
    const mark = `<!-- blurbench ${NAME} -->`
    const body = `${mark}\n${shortened(text, run)}\n${NAME} of ${sha}, [run ${context.runId}](${run})\n`
    await tryTo('The comment', () => writeComment(github, context, mark, body))
  }
  if (CHECK === 'true') {
    const [conclusion, title] = CHECKS[OUTCOME] ?? ['failure', 'Could not compare']
    const output = { title, summary: `The summary of the run says why: ${run}` }
    const check = { name: `blurbench ${NAME}`, status: 'completed', conclusion, details_url: run, output }
    await tryTo('The check', () => writeCheck(github, context, sha, check))
  }
}

async function writeComment(github, context, mark, body) {
  const number = { ...context.repo, issue_number: context.payload.pull_request.number }
  const all = await github.paginate(github.rest.issues.listComments, { ...number, per_page: 100 })
  // People may quote the mark; what a bot wrote first is this one's.
  const own = all.find(comment => comment.user?.type === 'Bot' && comment.body?.startsWith(mark))
  if (own) await github.rest.issues.updateComment({ ...context.repo, comment_id: own.id, body })
  else await github.rest.issues.createComment({ ...number, body })
}

// Only 'cannot tell' gets a check, and what a run of the same commit found before is replaced.
async function writeCheck(github, context, sha, check) {
  const named = { ...context.repo, ref: sha, check_name: check.name }
  const [own] = (await github.rest.checks.listForRef(named)).data.check_runs
  if (own) await github.rest.checks.update({ ...context.repo, check_run_id: own.id, ...check })
  else if (check.conclusion === 'neutral') {
    await github.rest.checks.create({ ...context.repo, head_sha: sha, ...check })
  }
}

function shortened(text, run) {
  if (text.length <= MOST) return text
  // Cut at a line, so that no row of a table is half.
  return `${text.slice(0, text.lastIndexOf('\n', MOST))}\n\nMore in [the summary of the run](${run}).\n`
}
