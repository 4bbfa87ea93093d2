// npm run build:binary: one executable from the built file and this machine's node (Node's single-executable support).
// The file is CommonJS and reads nothing beside itself, so it runs as the main script of an executable unchanged.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inject } from 'postject'

const target = resolve('dist', process.platform === 'win32' ? 'forgehall.exe' : 'forgehall')
const folder = mkdtempSync(join(tmpdir(), 'forgehall-binary-'))
try {
  const blob = join(folder, 'blob')
  const config = { main: resolve('dist/forgehall.cjs'), output: blob, disableExperimentalSEAWarning: true }
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
  execFileSync(process.execPath, ['--experimental-sea-config', join(folder, 'sea.json')], { stdio: 'ignore' })
  copyFileSync(process.execPath, target)
  chmodSync(target, 0o755)
  await inject(target, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ...(process.platform === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
  })
} finally {
  rmSync(folder, { recursive: true })
}
