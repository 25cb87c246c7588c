// Writes the result of a comparison to its pull request: as a comment that names the commit and replaces the
// comment of the last run, and as a neutral check if nothing could be told. The token of a pull request from
// a fork may write neither of them. In this case, a warning in the log says so.
const fs = require('fs')

// The largest length of a comment. GitHub accepts 65536 characters.
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
      const reason = `${error.message}. The job needs the permission, which forks do not have.`
      core.warning(`${what} was not written: ${reason}`)
    }
  }
  if (COMMENT === 'true') {
    // Without a new comment, the comment of the last run would remain.
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
  // People may quote the mark, so only a comment by a bot that begins with the mark is replaced.
  const own = all.find(comment => comment.user?.type === 'Bot' && comment.body?.startsWith(mark))
  if (own) await github.rest.issues.updateComment({ ...context.repo, comment_id: own.id, body })
  else await github.rest.issues.createComment({ ...number, body })
}

// Only the outcome 'cannot tell' creates a check. If an earlier run for the same commit has created one, it
// is replaced.
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
  // The text is cut at the end of a line, so that no row of a table is incomplete.
  return `${text.slice(0, text.lastIndexOf('\n', MOST))}\n\nThe rest is in [the run's summary](${run}).\n`
}
