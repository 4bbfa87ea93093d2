import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf, scriptOf } from './commands.ts'

/**
 * `npm run operating`: runs every command of `docs/operating.md`, in order, on a copy of this machine in namespaces of its
 * own, with the release that is built from this folder and the real systemd, nginx, PostgreSQL, openssl and git of this
 * machine, with its OpenSSH and OpenSMTPD. Needs root on Linux with overlay file systems, and Debian's packages faketime and
 * opensmtpd. Gives the exit code.
 */
function run(): number {
  if (process.getuid?.() !== 0) throw new Error('Only root can make namespaces and mount file systems')
  const missing = programs.filter((name) => spawnSync('which', [name], { env: withSystem }).status !== 0)
  if (missing.length > 0) throw new Error(`Install these programs first: ${missing.join(', ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-operating-'))
  const out = join(folder, 'out')
  try {
    execFileSync('node', ['src/build/release.mjs', '--no-binary'], { stdio: 'inherit' })
    for (const name of ['machine', 'out']) mkdirSync(join(folder, name))
    cpSync('dist/release', join(folder, 'release'), { recursive: true })
    const blocks = blocksOf(readFileSync('docs/operating.md', 'utf8'))
    writeFileSync(join(folder, 'commands.sh'), scriptOf(blocks))
    writeFileSync(join(out, 'log'), '')
    const shown = spawn('tail', ['-f', join(out, 'log')], { stdio: ['ignore', 'inherit', 'inherit'] })
    spawnSync('bash', ['test/operating/machine.sh', folder], { stdio: 'inherit' })
    spawnSync('sleep', ['0.5'])
    shown.kill()
    const code = existsSync(join(out, 'code')) ? readFileSync(join(out, 'code'), 'utf8').trim() : ''
    if (code !== '0') console.log(journalOf(out))
    console.log(
      code === '0' ? 'every command of docs/operating.md worked' : `a command failed with exit code ${code}`,
    )
    return Number(code || 1)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the page and the copy of the machine need; a missing one would fail only after minutes. */
const programs = [
  'systemctl',
  'nginx',
  'openssl',
  'git',
  'curl',
  'sshd',
  'smtpd',
  'faketime',
  'unshare',
  'findmnt',
  'ip',
]
const withSystem = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }

/** The last lines of the journal of the machine. */
function journalOf(out: string): string {
  const journal = join(out, 'journal')
  return existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(-100).join('\n') : ''
}

process.exitCode = run()
