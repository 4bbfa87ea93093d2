import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blocksOf, scriptOf } from './commands.ts'

/**
 * `npm run operating`: runs every command of `docs/operating.md`, in order, on a copy of this machine in namespaces of its
 * own, with the release that is built from this folder and the real nginx, PostgreSQL, openssl and git of this machine.
 * Needs root on Linux with overlay file systems. Gives the exit code.
 */
function run(): number {
  if (process.getuid?.() !== 0) throw new Error('Only root can make namespaces and mount file systems')
  const folder = mkdtempSync(join(tmpdir(), 'forgehall-operating-'))
  try {
    execFileSync('node', ['src/build/release.mjs', '--no-binary'], { stdio: 'inherit' })
    mkdirSync(join(folder, 'machine'))
    cpSync('dist/release', join(folder, 'release'), { recursive: true })
    for (const script of ['machine.sh', 'systemctl.sh', 'journalctl.sh'])
      cpSync(join('test', 'operating', script), join(folder, script))
    const blocks = blocksOf(readFileSync('docs/operating.md', 'utf8'))
    writeFileSync(join(folder, 'commands.sh'), scriptOf(blocks))
    const words = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
    const { status } = spawnSync('unshare', [...words, 'bash', join(folder, 'machine.sh'), folder], {
      stdio: 'inherit',
    })
    console.log(
      status === 0
        ? 'every command of docs/operating.md worked'
        : `a command failed with exit code ${status}`,
    )
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = run()
