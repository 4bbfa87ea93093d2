import { issuesSeen } from '../forge/issues/access.ts'
import { type Comment, type Issue, printIssue } from '../forge/issues/issue.shape.ts'
import { issueByNumber } from '../forge/issues/issue-store.ts'
import { viewOf } from '../forge/issues/issue-view.ts'
import { peopleIn } from '../forge/issues/people.ts'
import { countReactions } from '../forge/issues/reaction-store.ts'
import { numberIn, onIssue } from '../forge/protocol/query.ts'
import { timelineOf } from '../forge/timeline/entries.ts'
import { pageQuery } from '../http/route/page.ts'
import { found } from '../http/route/problem.ts'
import { ReplyWith } from '../http/route/results.ts'
import { textAs } from '../http/route/sends.ts'
import { type Html, html, timeOf } from './html.ts'
import { labelBadges } from './issue-entry.ts'
import { eventLine } from './issue-event.ts'
import { pageLinks } from './layout.ts'
import { milestoneAddress } from './milestones/milestone-entry.ts'
import { htmlType, pageReply } from './profile.ts'
import { fileList } from './releases/file-list.ts'
import { type RenderContext, rendered } from './rendered.ts'
import { repositoryPage } from './repository-page.ts'
import { route } from './route.ts'

/**
 * Comments and events on a page; characters of all their texts (the page leaves out others); milliseconds for rendering
 * (the page shows the remaining texts as they are).
 */
const maximum = { entries: 100, characters: 512 * 1024, milliseconds: 5_000 }

export const getIssuePage = route('GET /{owner}/{repo}/issues/{index}', {
  summary: 'An issue with its comments and what else happened to it, as a page',
  access: issuesSeen(),
  params: onIssue,
  query: { page: pageQuery().page },
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { caller, sql, from } = context
    const { host } = from
    const row = found(await issueByNumber(sql, caller.repo.id, numberIn(params.index)))
    const paging = { page: query.page, limit: maximum.entries }
    const { rows, total } = await timelineOf(context, row, {}, paging)
    const issue = printIssue(row, await peopleIn(sql, [row]), viewOf(caller, host))
    const reactions = await countReactions(
      sql,
      row.id,
      rows.flatMap(({ comment }) => comment?.id ?? []),
    )
    const { owner, name } = caller.repo
    const place = { context: `${owner.name}/${name}`, owner: owner.id }
    const budget = { left: maximum.characters, until: performance.now() + maximum.milliseconds }
    const text = (item: Comment | Issue, comment: number | null) =>
      textSection(context, item, {
        place,
        budget,
        id: comment === null ? 'issue' : `issuecomment-${comment}`,
        reactions: reactions.filter((each) => each.comment === comment),
      })
    const sections: Html[] = paging.page === 1 ? [await text(issue, null)] : []
    for (const { entry, comment } of rows)
      sections.push(comment ? await text(comment, comment.id) : eventLine(entry))
    const main = html`<h2>${issue.title} <span class="quiet-text">#${issue.number}</span> <span class="badge">${issue.state}</span></h2>
<div class="panel">
<div class="column">${sections}
${pageLinks({ ...paging, total }, issue.html_url, {}, ['Older entries', 'Newer entries'])}</div>
${about(`${host}${owner.name}/${name}`, issue)}
</div>`
    const title = `${issue.title} #${issue.number}`
    return repositoryPage({ host, sql, caller, current: 'issues', title, main })
  },
})

export const getPullPage = route('GET /{owner}/{repo}/pulls/{index}', {
  summary: 'Redirect to the issue of this number: texts may write !1 for #1',
  access: issuesSeen(),
  params: onIssue,
  fails: [404],
  returns: textAs(303, htmlType),
  handler: async ({ caller, params, sql, from: { host } }) => {
    const { number } = found(await issueByNumber(sql, caller.repo.id, numberIn(params.index)))
    const { owner, name } = caller.repo
    const headers = { Location: `${host}${owner.name}/${name}/issues/${number}` }
    return new ReplyWith('', { status: 303, headers })
  },
})

interface TextParts {
  id: string
  place: { context: string; owner: number }
  budget: { left: number; until: number }
  reactions: readonly { content: string; count: number }[]
}

/** The text of an issue or a comment, with who wrote it and how others reacted. */
async function textSection(
  context: RenderContext,
  {
    user,
    body,
    assets,
    created_at,
    updated_at,
  }: Pick<Comment, 'user' | 'body' | 'assets' | 'created_at' | 'updated_at'>,
  { id, place, budget, reactions }: TextParts,
): Promise<Html> {
  const isShown = body.length <= budget.left
  if (isShown) budget.left -= body.length
  const isTimely = performance.now() < budget.until
  const text =
    isShown && isTimely ? await rendered(context, { text: body, mode: 'comment', ...place }) : undefined
  const content = !isShown
    ? html`<p class="empty">This page has no room for this text; the API has it.</p>`
    : body.trim() === ''
      ? html`<p class="empty">No text.</p>`
      : (text ?? html`<p class="prose-text">${body}</p>`)
  return html`<article class="card rendered" id="${id}" aria-label="By ${user.login}">
<p class="meta"><a href="${user.html_url}">${user.login}</a> ${timeOf(created_at)}${updated_at === created_at ? undefined : html` · changed ${timeOf(updated_at)}`}</p>
${content}
${fileList(assets)}
${reactions.length === 0 ? undefined : html`<p>${reactions.map(({ content, count }) => html`<span class="badge" title="${content}">${signs[content] ?? content} ${count}</span> `)}</p>`}
</article>`
}

/** The reactions as people know them. */
const signs: Readonly<Record<string, string>> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
}

function about(
  home: string,
  { labels, milestone, due_date, is_locked, assignees, ref, created_at, updated_at, closed_at }: Issue,
): Html {
  return html`<section class="card first-on-phones" aria-labelledby="about">
<h2 id="about">About</h2>
<dl class="facts">
<dt>Labels</dt><dd>${labels.length === 0 ? 'none' : labelBadges(labels)}</dd>
${milestone === null ? undefined : html`<dt>Milestone</dt><dd><a href="${milestoneAddress(home, milestone)}">${milestone.title}</a></dd>`}
${due_date === null ? undefined : html`<dt>Due</dt><dd>${timeOf(due_date)}</dd>`}
${is_locked ? html`<dt>Locked</dt><dd>Only those who may write to the issues comment.</dd>` : undefined}
<dt>Assigned</dt><dd>${assignees.length === 0 ? 'nobody' : assignees.map(({ login, html_url }) => html`<a href="${html_url}">${login}</a> `)}</dd>
${ref === '' ? undefined : html`<dt>Ref</dt><dd>${ref}</dd>`}
<dt>Opened</dt><dd>${timeOf(created_at)}</dd>
<dt>Changed</dt><dd>${timeOf(updated_at)}</dd>
${closed_at === null ? undefined : html`<dt>Closed</dt><dd>${timeOf(closed_at)}</dd>`}
</dl>
</section>`
}
