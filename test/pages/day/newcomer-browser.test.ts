import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startMailServer } from '../../mail/server.ts'
import { openHome, serveBinary, stopBinary } from '../../support/binary.ts'
import { administrator, skip as noChromium, openChromium } from '../../support/chromium.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/port.ts'
import { hasSshd, startSshd } from '../../support/processes/sshd.ts'
import { type Person, personIn, ways } from './hand.ts'

/** Somebody new, whose only tools are a browser, a program for mail, and git with OpenSSH. */

const skip = noChromium || (!hasSshd && 'the OpenSSH server is not installed')
const own = { name: 'ada', address: 'ada@example.com', password: 'chosen by herself' }

test('somebody new gets from an account made by an administrator to a signed commit pushed over SSH', {
  skip,
}, async () => {
  const { mails, browser, sshd, url } = await start()
  const [boss, ada] = [await personIn(browser, url, ways.mouse), await personIn(browser, url, ways.mouse)]

  await boss.open('/')
  await signIn(boss, administrator.user, administrator.password)
  await boss.open('/-/admin/new/user')
  await boss.write('Name', own.name)
  await boss.write('E-mail address', own.address)
  await boss.press('Create the user')
  await boss.see('label:text-is("Link for ada")')

  // All else by what the pages and mails say.
  const linkIn = async (at: number, words: RegExp) => {
    await mails.taken(at)
    const { to, text = '' } = mails.mails[at - 1] ?? {}
    assert.equal(to, own.address)
    const link = text.split(/\s+/).find((each) => each.startsWith(`${url}/`) && words.test(each))
    assert.ok(link !== undefined, text)
    return link.slice(url.length)
  }
  await ada.open(await linkIn(1, /forgotten/))
  await ada.write('Your e-mail address', own.address)
  await ada.press('Send the link')
  await ada.see('[role=status]')
  await ada.open(await linkIn(2, /link=/))
  await ada.write('New password', own.password)
  await ada.write('New password again', own.password)
  await ada.press('Set the password')
  await ada.see('h1:text-is("Sign in")')
  await enterPassword(ada, own.name, own.password)

  const home = await temporaryFolder()
  await mkdir(join(home, '.ssh'), { mode: 0o700 })
  const file = join(home, '.ssh', 'id_ed25519')
  const shell = (lines: string) =>
    promisify(execFile)('sh', ['-ec', lines], { env: { PATH: process.env.PATH, HOME: home }, cwd: home })
  await ada.follow('Settings')
  await ada.follow('SSH keys')
  await ada.see('h2:text-is("Use a key")')
  // OpenSSH asks where to keep it and for a passphrase, and finds the folder without HOME.
  const making = await linesOn(ada, 'Make one on your machine, and copy what the last line prints:')
  const { stdout } = await shell(making.replace('ssh-keygen', `ssh-keygen -q -N '' -f ${file}`))
  await ada.write('Title', 'laptop')
  await ada.write('Public key', stdout.trim())
  await ada.press('Add the key')
  await ada.see('[role=status]:has-text("Your keys are changed")')
  await mails.taken(4)
  assert.match(mails.mails[3]?.raw ?? '', /^Subject: An SSH key was added/m)
  const signing = await linesOn(
    ada,
    'Sign all commits that you make there, under an address of yours that is confirmed:',
  )
  await shell(`${signing}\ngit config --global user.name Ada`)

  await ada.open('/')
  await ada.follow('New repository')
  await ada.write('Name', 'tool')
  await ada.press('Create the repository')
  await ada.see('[aria-label=README]')
  const address = await ada.page.locator('.clone:has-text("SSH") code').textContent()
  const ssh = sshd.commandOf({ file, line: await readFile(`${file}.pub`, 'utf8') })
  await shell(`export GIT_SSH_COMMAND='${ssh}'
git clone -q ${address}
cd tool
echo more >> README.md
git commit -qam 'Say more'
git push -q`)
  await ada.open('/ada/tool/commits/branch/main')
  await ada.see('li:has-text("Say more") .badge:text-is("Verified")')
  for (const { errors, close } of [boss, ada]) {
    assert.deepEqual(errors, [])
    await close()
  }
})

/** A server with mail, behind the `sshd` of this machine. */
async function start() {
  const [mails, home, port] = [await startMailServer(), await openHome(), await freePort()]
  const sshd = await startSshd(home.dataDir)
  const serving = await serveBinary({
    ...home.environment,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}/`,
    MAIL_URL: mails.url,
    MAIL_FROM: 'forge@example.com',
    SSH_URL: sshd.url,
  })
  after(() => stopBinary(serving))
  return { mails, sshd, url: serving.url, browser: await openChromium() }
}

async function signIn(who: Person, name: string, password: string): Promise<void> {
  await who.follow('Sign in', 'header')
  await enterPassword(who, name, password)
}

async function enterPassword(who: Person, name: string, password: string): Promise<void> {
  await who.write('Name or e-mail address', name)
  await who.write('Password or access token', password)
  await who.press('Sign in')
  await who.see('h1:has-text("Hello")')
}

/** The lines of a page after a sentence, as somebody copies them. */
const linesOn = async ({ page }: Person, sentence: string) =>
  (await page.locator(`pre[aria-label="${sentence}"]`).textContent()) ?? ''
