// Part of npm run release: builds the same source in another folder at another time without the cache, and compares.
// Anybody with the same source, libraries and release of Node can so check that a file was built of them.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const built = 'dist/forgehall.cjs'
const cache = join('node_modules', '.cache')
const temporary = mkdtempSync(join(tmpdir(), 'forgehall-reproducible-'))
try {
  const folder = join(temporary, 'another/folder')
  // Copies of the libraries too: the bundle names each by its real path, relative to the folder of the build.
  for (const name of ['package.json', 'tsconfig.json', 'tsup.config.ts', 'src', 'sql', 'node_modules'])
    cpSync(name, join(folder, name), { recursive: true, filter: (path) => path !== cache })
  execFileSync(process.execPath, ['node_modules/tsup/dist/cli-default.js'], {
    cwd: folder,
    env: { ...process.env, TZ: 'Pacific/Auckland', BUILD: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (!readFileSync(join(folder, built)).equals(readFileSync(built))) {
    console.error(`${built} is not reproducible: a build of the same source in another folder differs`)
    process.exitCode = 1
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
