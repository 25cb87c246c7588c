// What a pull request gets of a comparison: its comment with the commit that it is about, in place of that of
// the last run, and a neutral check where nothing can be told. The token of a fork's pull request may write
// neither: a warning in the log says so.
const fs = require('fs')

const MARK = '<!-- blurbench compare -->'
// GitHub takes 65536 characters.
const MOST = 65000

module.exports = async ({ github, context, core }, { OUTCOME, COMMENT, CHECK, FILE = 'comparison.md' }) => {
  const run = `${context.serverUrl}/${context.repo.owner}/${context.repo.repo}/actions/runs/${context.runId}`
  const tryTo = async (what, write) => {
    try { await write() } catch (error) {
      const reason = `${error.message}. The job needs the permission; forks have none.`
      core.warning(`${what} was not written: ${reason}`)
    }
  }
  if (COMMENT === 'true') {
    // Else what the last run said would stand there still.
    const text = fs.existsSync(FILE) ? fs.readFileSync(FILE, 'utf8') : '### Could not compare\n'
    const { sha } = context.payload.pull_request.head
    const body = `${MARK}\n${shortened(text, run)}\n${sha}, [run ${context.runId}](${run})\n`
    await tryTo('The comment', () => writeComment(github, context, body))
  }
  if (CHECK === 'true' && OUTCOME === 'cannot-tell') {
    await tryTo('The check', () => github.rest.checks.create({
      ...context.repo, name: 'blurbench compare', head_sha: context.payload.pull_request.head.sha,
      status: 'completed', conclusion: 'neutral', details_url: run,
      output: { title: 'Cannot tell', summary: `The summary of the run says why: ${run}` },
    }))
  }
}

async function writeComment(github, context, body) {
  const number = { ...context.repo, issue_number: context.payload.pull_request.number }
  const all = await github.paginate(github.rest.issues.listComments, { ...number, per_page: 100 })
  // People may quote the mark; what a bot wrote first is this one's.
  const own = all.find(comment => comment.user?.type === 'Bot' && comment.body?.startsWith(MARK))
  if (own) await github.rest.issues.updateComment({ ...context.repo, comment_id: own.id, body })
  else await github.rest.issues.createComment({ ...number, body })
}

function shortened(text, run) {
  if (text.length <= MOST) return text
  // Cut at a line, so that no row of a table is half.
  return `${text.slice(0, text.lastIndexOf('\n', MOST))}\n\nMore in [the summary of the run](${run}).\n`
}
