import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { longest } from '../wait.ts'

/** Why tests with real OpenPGP keys are skipped; false: they are not. */
export const withoutGpg = spawnSync('gpg', ['--version']).status === 0 ? false : 'gpg is not installed'

/** GnuPG with a folder of its own: its path is short, because the socket of its agent is in it. */
export function gnupg() {
  const home = mkdtempSync(join(tmpdir(), 'gpg-'))
  const run = (parameters: readonly string[], input = '') =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--no-tty', ...parameters], {
      input,
      encoding: 'utf8',
      timeout: longest,
      stdio: 'pipe',
    })
  after(() => {
    spawnSync('gpgconf', ['--homedir', home, '--kill', 'all'])
    rmSync(home, { recursive: true, force: true })
  })
  const unlocked = ['--passphrase', '', '--pinentry-mode', 'loopback']
  return {
    home,
    run: (...parameters: string[]) => run([...unlocked, ...parameters]),
    /** Makes a key for a user id; gives its fingerprint. */
    make: (user: string, algorithm = 'ed25519', use = 'sign', ends = 'never', ...more: string[]): string => {
      const made = run([
        ...unlocked,
        ...more,
        '--yes',
        '--status-fd',
        '1',
        '--quick-gen-key',
        user,
        algorithm,
        use,
        ends,
      ])
      return /KEY_CREATED \w ([0-9A-F]+)/.exec(made)?.[1] ?? ''
    },
    exported: (key: string, ...more: string[]) => run(['--armor', ...more, '--export', key]),
    /** The signature of a text. */
    sign: (key: string, text: string) =>
      run([...unlocked, '--armor', '--local-user', key, '--detach-sign'], text),
    /** Revokes a key with the certificate that was made with it, whose first line a colon makes useless. */
    revoke: (fingerprint: string) => {
      const file = join(home, 'openpgp-revocs.d', `${fingerprint}.rev`)
      run(['--import'], readFileSync(file, 'utf8').replace(':-----BEGIN', '-----BEGIN'))
    },
    /** Reads keys from others; gives their fingerprints. */
    imported: (text: string) => {
      run(['--import'], text)
      const listed = run(['--with-colons', '--list-keys'])
      return [...listed.matchAll(/^pub:.*\nfpr:+([0-9A-F]+):/gm)].map(([, fingerprint = '']) => fingerprint)
    },
    environment: { ...process.env, GNUPGHOME: home },
  }
}
