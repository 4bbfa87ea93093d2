import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Runs the test files whose paths contain one of the words given, and bundles nothing else. */
const words = process.argv.slice(2)
const paths = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.test.ts'),
)
const files = paths.filter((path) => words.some((word) => path.replaceAll('\\', '/').includes(word))).sort()
if (files.length === 0) {
  console.error('Name test files by words of their paths: npm run test:one -- site/news')
  process.exitCode = 1
}

/** The embedded database is not worth optimizing for a run of seconds. */
const flags = [
  '--liftoff-only',
  '--enable-source-maps',
  '--test-reporter=spec',
  '--import',
  './test/register.mjs',
]
for (const file of files) {
  const { status } = spawnSync(process.execPath, [...flags, join('test', file)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
