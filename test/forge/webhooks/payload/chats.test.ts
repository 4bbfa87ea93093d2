import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commentActions } from '../../../../src/background/event-actions.ts'
import {
  type ChatOptions,
  type ChatType,
  chatText,
  chatTypes,
} from '../../../../src/forge/webhooks/payload/chats.ts'
import { commentMessage, issueMessage } from '../../../../src/forge/webhooks/payload/issues.ts'
import {
  createMessage,
  deleteMessage,
  type HookMessage,
  packageMessage,
  pushMessage,
  repositoryMessage,
} from '../../../../src/forge/webhooks/payload/payload.ts'
import { ada, commit, engine, leak, remark, zeros } from './facts.ts'

const push = (
  commits = [commit(2, 'Fix *all* <things> & [more](http://evil.example)'), commit(1)],
  total = commits.length,
) =>
  pushMessage({
    ref: 'refs/heads/main',
    before: zeros,
    after: '2'.repeat(40),
    commits,
    total,
    head: commits[0] ?? null,
    first: false,
    root: 'https://forge.example/',
    repository: engine,
    sender: ada,
  })

const compare = `https://forge.example/ada/engine/compare/${zeros}...${'2'.repeat(40)}`
const sentence = 'ada/engine: 2 commits pushed to branch main by ada'

const issueActionsInOrder = [
  ['opened', 'opened'],
  ['edited', 'edited'],
  ['closed', 'closed'],
  ['reopened', 'reopened'],
  ['assigned', 'assigned'],
  ['unassigned', 'unassigned'],
  ['label_updated', 'labelled'],
  ['label_cleared', 'freed of its labels'],
] as const

const others: readonly (readonly [HookMessage, text: string, url: string])[] = [
  [
    repositoryMessage('created', { repository: engine, owner: ada, sender: ada }),
    'Repository ada/engine created by ada',
    engine.html_url,
  ],
  [
    createMessage({ ref: 'refs/heads/a/b', sha: '1'.repeat(40), repository: engine, sender: ada }),
    'ada/engine: branch a/b created by ada',
    `${engine.html_url}/src/branch/a/b`,
  ],
  [
    deleteMessage({ ref: 'refs/tags/v1', repository: engine, sender: ada }),
    'ada/engine: tag v1 deleted by ada',
    engine.html_url,
  ],
  [
    packageMessage('created', {
      package: {
        name: 'wheel',
        version: '1.0',
        type: 'generic',
        html_url: 'https://forge.example/p',
        owner: ada,
      },
      organization: null,
      sender: ada,
    }),
    'Package ada/wheel 1.0 (generic) created by ada',
    'https://forge.example/p',
  ],
  ...issueActionsInOrder.map(
    ([action, description]) =>
      [
        issueMessage(action, { issue: leak, repository: engine, sender: ada }),
        `ada/engine: issue 3 ${description} by ada: It leaks`,
        leak.html_url,
      ] as const,
  ),
  ...commentActions.map(
    (action) =>
      [
        commentMessage(action, { issue: leak, comment: remark, repository: engine, sender: ada }),
        `ada/engine: comment on issue 3 ${action} by ada: It leaks`,
        action === 'deleted' ? leak.html_url : remark.html_url,
      ] as const,
  ),
]

// biome-ignore lint/suspicious/noExplicitAny: each chat has a shape of its own, and the assertions say which
function bodyFor(type: ChatType, message: HookMessage = push(), options: ChatOptions = {}): any {
  const text = chatText(type, message, options)
  assert.ok(text, `${type} hears of ${message.event}`)
  return JSON.parse(text)
}

test('every chat but Packagist gets a text with the event and its place for every event', () => {
  for (const type of chatTypes) {
    if (type === 'packagist') continue
    for (const [message, text, url] of others) {
      const json = JSON.stringify(bodyFor(type, message))
      assert.ok(json.includes(text), `${type}: ${json}`)
      assert.ok(json.includes(url), `${type}: ${json}`)
    }
  }
})

test('a push without commits is sent to no chat', () => {
  for (const type of chatTypes) assert.equal(chatText(type, push([])), undefined, type)
})

test('Packagist receives pushes, with the repository only', () => {
  assert.deepEqual(bodyFor('packagist'), { repository: { url: engine.html_url } })
  for (const [message] of others) assert.equal(chatText('packagist', message), undefined)
})

test('Slack: mrkdwn with its three special characters escaped, and the appearance of the options', () => {
  const look = { channel: '#dev', username: 'forge', icon_url: 'https://x.example/i.png', color: '#123456' }
  const { attachments, ...body } = bodyFor('slack', push(), look)
  assert.deepEqual(body, {
    channel: '#dev',
    username: 'forge',
    icon_url: 'https://x.example/i.png',
    text: `<${compare}|${sentence}>`,
    unfurl_links: false,
  })
  assert.equal(attachments[0].color, '#123456')
  assert.match(attachments[0].text, /^<https:\/\/\S+2{40}\|2222222> Fix \*all\* &lt;things&gt; &amp; /)
  assert.deepEqual(Object.keys(bodyFor('slack')), ['text', 'attachments', 'unfurl_links'])
})

test('Discord: an embed without mentions, within the limits of the service', () => {
  const { embeds, ...body } = bodyFor('discord', push([commit(1, '@everyone look')]), { username: 'forge' })
  assert.deepEqual(body, { username: 'forge', allowed_mentions: { parse: [] } })
  assert.deepEqual(embeds[0].author, { name: 'ada', url: ada.html_url, icon_url: ada.avatar_url })
  assert.match(embeds[0].description, /\\@everyone/)
  const long = bodyFor('discord', push(Array.from({ length: 5 }, (_, at) => commit(at, '😀'.repeat(5000)))))
  assert.ok([...long.embeds[0].description].length <= 4096)
})

test('Microsoft Teams: a MessageCard', () => {
  const body = bodyFor('msteams')
  assert.equal(body['@type'], 'MessageCard')
  assert.equal(body.summary, sentence)
  assert.equal(body.sections[0].activityTitle, 'Ada <L>')
  assert.match(body.sections[0].text, /Fix \\\*all\\\* \\<things\\> & \\\[more\\\]\(http/)
  assert.equal(body.potentialAction[0].targets[0].uri, compare)
})

test('Telegram and Matrix: HTML in which texts of users are escaped', () => {
  const telegram = bodyFor('telegram')
  assert.equal(telegram.parse_mode, 'HTML')
  assert.match(telegram.text, /<a href="[^"]+">2222222<\/a> Fix \*all\* &lt;things&gt; &amp; \[more\]/)
  const matrix = bodyFor('matrix')
  assert.equal(matrix.msgtype, 'm.notice')
  assert.match(matrix.formatted_body, /&lt;things&gt;/)
  assert.match(matrix.body, /^ada\/engine: 2 commits .*\n2222222 Fix \*all\* <things> & /)
})

test('DingTalk, Feishu and WeCom: no links, tags or mentions from texts of users', () => {
  const hostile = push([commit(1, '<at user_id="all"></at> [x](http://evil.example) <@all>')])
  const dingtalk = bodyFor('dingtalk', hostile)
  assert.equal(dingtalk.msgtype, 'actionCard')
  assert.equal(dingtalk.actionCard.singleURL, commit(1).url)
  assert.equal(bodyFor('feishu', hostile).msg_type, 'text')
  assert.equal(bodyFor('wechatwork', hostile).msgtype, 'markdown')
  for (const type of ['dingtalk', 'feishu', 'wechatwork'] as const) {
    const json = JSON.stringify(bodyFor(type, hostile))
    assert.ok(!json.includes('<at') && !json.includes('[x]') && !json.includes('<@all'), json)
  }
})

test('long texts stay within the limits of Telegram and WeCom, without truncated markup', () => {
  const many = push(Array.from({ length: 5 }, (_, at) => commit(at, '&'.repeat(5000))))
  const { text } = bodyFor('telegram', many)
  assert.ok(text.length <= 4096)
  assert.equal(text.match(/<a /g).length, text.match(/<\/a>/g).length)
  const wide = push(
    Array.from({ length: 5 }, (_, at) => ({
      ...commit(at, '漢'.repeat(5000)),
      url: `https://x/${'y'.repeat(900)}`,
    })),
  )
  assert.ok(Buffer.byteLength(bodyFor('wechatwork', wide).markdown.content) <= 4096)
})

test('an address longer than the message limit is sent anyway', () => {
  const far = { ...engine, html_url: `https://forge.example/${'x'.repeat(5000)}` }
  const message = repositoryMessage('created', { repository: far, owner: ada, sender: ada })
  for (const type of ['telegram', 'wechatwork'] as const) {
    assert.ok(JSON.stringify(bodyFor(type, message)).includes(far.html_url), type)
  }
})

test('a subject is the first line of a commit, clipped, with its author', () => {
  const [line] = bodyFor('feishu', push([commit(1, `\n\n${'x'.repeat(500)}\nbody`)]))
    .content.text.split('\n')
    .slice(1)
  assert.equal(line, `1111111 ${'x'.repeat(119)}… (Ada)`)
})
