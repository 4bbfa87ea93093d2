import type { Person } from './hand.ts'

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)

const workflow = `on: [workflow_dispatch]
jobs:
  build:
    runs-on: mill
    steps: [{name: Grind, run: grind}]
`

/** The people of a day, and what they call their things. */
interface Team {
  ada: Person
  grace: Person
  /** Their names as users. */
  names: { ada: string; grace: string }
  password: string
  org: string
  repo: string
  /** Lets a runner do the next job. */
  runNextJob: () => Promise<void>
}

/** Signs somebody in. */
async function signIn(who: Person, name: string, password: string): Promise<void> {
  await who.act('Sign in', 2, async () => {
    await who.follow('Sign in', 'header')
    await who.write('Name or e-mail address', name)
    await who.write('Password or access token', password)
    await who.press('Sign in')
    await who.see('h1:has-text("Hello")')
  })
}

/** An organization, a team with its member, and a repository. */
async function begin({ ada, names, org, repo, password }: Team): Promise<void> {
  await ada.open('/')
  await signIn(ada, names.ada, password)
  await ada.act('Create an organization', 2, async () => {
    await ada.follow('New organization')
    await ada.see('h1:text-is("New organization")')
    await ada.write('Name', org)
    await ada.press('Create the organization')
    await ada.see(`h1:has-text("${org}")`)
  })
  await ada.act('Create a team', 3, async () => {
    await ada.follow('Teams')
    await ada.see('h2:text-is("Teams")')
    await ada.write('Name', 'millers')
    await ada.tick('All repositories of the organization')
    await ada.press('Add a team')
    await ada.see('[role=status]:has-text("The team was added")')
  })
  await ada.act('Invite a person', 2, async () => {
    await ada.follow('millers')
    await ada.see('nav[aria-label="Team millers"] a[aria-current]:text-is("Members")')
    await ada.write('Name', names.grace)
    await ada.press('Add a member')
    await ada.see('[role=status]:has-text("The member was added")')
  })
  await ada.act('Create a repository', 7, async () => {
    await ada.follow('Repositories', '.title')
    await ada.see('text=New repository')
    await ada.follow('New repository')
    await ada.see('h1:text-is("New repository")')
    await ada.write('Name', repo)
    await ada.choose('.gitignore', 'Node')
    await ada.choose('Licence', 'MIT')
    await ada.choose('Labels of issues', 'Default')
    await ada.press('Create the repository')
    await ada.see('[aria-label=README]')
  })
}

/** Files from the browser: one that is written, and some that are sent. */
async function addFiles({ ada, org, repo }: Team): Promise<void> {
  await ada.act('Write a new file', 2, async () => {
    await ada.follow('Add files')
    await ada.see('h2:has-text("New file")')
    await ada.write('Path', 'stones.txt')
    await ada.write('Text', 'upper\nlower\n')
    await ada.press('Commit')
    await ada.see('.source')
  })
  await ada.open(`/${org}/${repo}`)
  await ada.act('Send files', 3, async () => {
    await ada.follow('Add files')
    await ada.attach('Files', { name: 'crack.png', mimeType: 'image/png', buffer: pixel })
    await ada.press('Send the files')
    await ada.see('a:text-is("crack.png")')
  })
  await ada.follow('Add files')
  await ada.write('Path', '.gitea/workflows/ci.yml')
  await ada.write('Text', workflow)
  await ada.press('Commit')
  await ada.see('.source')
}

/** An issue with a picture, from its opening to its end. */
async function planIssue({ ada, grace, names, password, org, repo }: Team): Promise<void> {
  await ada.act('Make a milestone', 4, async () => {
    await ada.follow('Issues', '.title')
    await ada.see('h2:has-text("0 issues")')
    await ada.follow('Milestones')
    await ada.see('text=New milestone')
    await ada.follow('New milestone')
    await ada.see('h2:text-is("New milestone")')
    await ada.write('Title', 'Harvest')
    await ada.press('Make the milestone')
    await ada.see('h2:has-text("Harvest")')
  })
  await grace.open('/')
  await signIn(grace, names.grace, password)
  await grace.act('Open an issue with a picture', 5, async () => {
    await grace.follow(`${org}/${repo}`)
    await grace.see('nav[aria-label=Repository]')
    await grace.follow('Issues', '.title')
    await grace.see('text=New issue')
    await grace.follow('New issue')
    await grace.see('h2:text-is("New issue")')
    await grace.write('Title', 'The stone is cracked')
    await grace.write('Text', `Look, @${names.ada}: ![a crack](crack.png)`)
    await grace.attach('Files', { name: 'crack.png', mimeType: 'image/png', buffer: pixel })
    await grace.press('Open the issue')
    await grace.see('img[alt="a crack"]')
  })
  await ada.act('Read the notification', 2, async () => {
    await ada.follow('Forgehall', 'header')
    await ada.see('h2:text-is("Unread notifications")')
    await ada.follow('The stone is cracked')
    await ada.see('img[alt="a crack"]')
  })
  await ada.act('Answer', 1, async () => {
    await ada.write('Your comment', 'I order a new one.')
    await ada.press('Comment')
    await ada.see('article:has-text("I order a new one.")')
  })
  await ada.act('Label', 3, async () => {
    await ada.unfold('Change the labels')
    await ada.tick('bug')
    await ada.press('Save', 'dd')
    await ada.see('text=gave the label')
  })
  await ada.act('Assign', 3, async () => {
    await ada.unfold('Change who is assigned')
    await ada.tick(names.grace)
    await ada.press('Save', 'dd')
    await ada.see(`dd a:text-is("${names.grace}")`)
  })
  await ada.act('Give a milestone', 3, async () => {
    await ada.unfold('Change the milestone')
    await ada.choose('Milestone', 'Harvest')
    await ada.press('Save', 'dd')
    await ada.see('dd a:text-is("Harvest")')
  })
}

/** A change on a branch of its own, from the edit to the merge. */
async function changeCode({ ada, grace, names, org, repo }: Team): Promise<void> {
  await grace.open(`/${org}/${repo}`)
  await grace.act('Edit a file into a new branch', 3, async () => {
    await grace.follow('stones.txt')
    await grace.see('.source')
    await grace.follow('Edit')
    await grace.see('h2:has-text("Change stones.txt")')
    await grace.write('Text', 'upper\nlower, new\n')
    await grace.write('Message of the commit', 'Replace the lower stone')
    await grace.write('New branch', 'new-stone')
    await grace.press('Commit')
    await grace.see('text=Propose this change')
  })
  await grace.act('Propose it', 1, async () => {
    await grace.write('Text', 'Closes #1')
    await grace.press('Propose it')
    await grace.see('h2:has-text("Replace the lower stone")')
  })
  await ada.act('Review: comment on a line', 6, async () => {
    await ada.follow('Pull requests', '.title')
    await ada.see('h2:has-text("1 pull request")')
    await ada.follow('Replace the lower stone')
    await ada.see('text=This can be merged')
    await ada.follow(/^Files/, 'main nav')
    await ada.see('.diff')
    if (ada.way === 'keyboard') {
      await ada.unfold('Comment on a line of stones.txt')
      await ada.write('Line', '2')
      await ada.press('Comment on it')
    } else await ada.press(/2$/, '.diff .added')
    await ada.see('#line-form')
    await ada.write('Comment on line 2', 'Which one?')
    await ada.press('Begin a review')
    await ada.see('article:has-text("Which one?")')
  })
  await ada.act('Approve', 1, async () => {
    await ada.write('What you think of it', 'Good.')
    await ada.press('Approve')
    await ada.see('.badge:text-is("approved")')
  })
  await grace.act('Answer the review', 3, async () => {
    await grace.follow('Forgehall', 'header')
    await grace.see('h2:text-is("Unread notifications")')
    await grace.follow('Replace the lower stone')
    await grace.see('article:has-text("Which one?")')
    await grace.write('Your comment', `The one of ${names.ada}.`)
    await grace.press('Comment')
    await grace.see('article:has-text("The one of")')
  })
  await grace.act('Merge', 1, async () => {
    await grace.press('Create a merge commit')
    await grace.see('h2:text-is("Merged")')
  })
  await grace.act('See the issue closed', 1, async () => {
    await grace.follow('#1')
    await grace.see('.badge:has-text("Closed")')
  })
}

/** A release with a file and the source, and a run of a workflow. */
async function release({ ada, org, repo, runNextJob }: Team): Promise<void> {
  await ada.open(`/${org}/${repo}`)
  await ada.act('Make a release with a file', 5, async () => {
    await ada.follow('Releases', '.title')
    await ada.see('h2:has-text("0 releases")')
    await ada.follow('New release')
    await ada.see('h2:text-is("New release")')
    await ada.write('Tag', 'v1.0.0')
    await ada.write('Title', 'First flour')
    await ada.press('Make the release')
    await ada.see('h2:has-text("Change First flour")')
    await ada.attach('Add a file', {
      name: 'flour.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('flour'),
    })
    await ada.press('Add the file')
    await ada.see('a:text-is("flour.txt")')
  })
  await ada.act('Download the source', 2, async () => {
    await ada.follow('First flour')
    await ada.see('a:text-is("zip")')
    const archive = ada.page.waitForEvent('download')
    await ada.follow('zip')
    await (await archive).path()
  })
  await ada.act('Start a workflow', 3, async () => {
    await ada.follow('Actions', '.title')
    await ada.see('[aria-label="Start ci.yml"]')
    await ada.follow('Start ci.yml')
    await ada.see('h2:has-text("Start")')
    await ada.press('Start on main')
    await ada.see('#facts')
  })
  await runNextJob()
  // The page shows what is new by itself, with script.
  if (ada.way === 'plain') await ada.page.reload()
  await ada.act('See what it did', 2, async () => {
    await ada.see('#facts:has-text("success"), .badge:has-text("success")')
    await ada.follow('build')
    await ada.see('text=Grind')
  })
}

/** Everything is found again. */
async function findAgain({ grace, org, repo }: Team): Promise<void> {
  await grace.open('/')
  await grace.act('Find the repository and star it', 2, async () => {
    await grace.write('Search repositories', repo, 'header')
    await grace.send()
    await grace.see(`main a:text-is("${org}/${repo}")`)
    await grace.follow(`${org}/${repo}`)
    await grace.see('nav[aria-label=Repository]')
    await grace.press(/^Star/)
    await grace.see('button:has-text("Unstar")')
  })
  await grace.act('Find a text of the code', 0, async () => {
    await grace.write('Search in the code', 'lower, new')
    await grace.send()
    await grace.see('mark:has-text("lower, new")')
  })
  await grace.act('Find the closed issue', 2, async () => {
    await grace.follow('Issues', '.title')
    await grace.see('main [type=search]')
    await grace.write('Words in the title, the text or a comment, or a number', 'cracked')
    await grace.send()
    await grace.see('text=No issues match')
    await grace.follow('Look among the closed ones, too')
    await grace.see('a:text-is("The stone is cracked")')
  })
}

export async function walkDay(team: Team): Promise<void> {
  for (const part of [begin, addFiles, planIssue, changeCode, release, findAgain]) await part(team)
}
