// npm run pictures: the pictures of the README, taken of a seeded server with a browser (CHROMIUM, /usr/bin/chromium).
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

/** File name, page, and height of the window in pixels. */
const pictures = [
  ['overview.png', 'overview', 620],
  ['repository.png', 'lighthouse/beacon', 760],
]

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const folder = mkdtempSync(join(tmpdir(), 'forgehall-pictures-'))
const env = {
  ...process.env,
  DATA_DIR: join(folder, 'data'),
  PORT: process.env.PORT ?? '3000',
  DATABASE_URL: '',
}
const program = 'dist/forgehall.cjs'
const server = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'ignore'] })
try {
  const port = await portOf(server.stdout)
  execFileSync(process.execPath, [program, 'seed'], { env, stdio: 'ignore' })
  mkdirSync('docs/pictures', { recursive: true })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    for (const picture of pictures) await take(browser, port, picture)
  } finally {
    await browser.close()
  }
} finally {
  server.kill()
  await new Promise((resolve) => server.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}

/** The port, from the log line that says the server is ready. */
async function portOf(output) {
  for await (const line of createInterface({ input: output })) {
    const { message, port } = JSON.parse(line)
    if (message === 'ready') {
      output.resume()
      return port
    }
  }
  throw new Error('the server did not start')
}

async function take(browser, port, [name, path, height]) {
  const page = await browser.newPage({ viewport: { width: 1100, height } })
  await page.goto(`http://localhost:${port}/${path}`)
  await page.screenshot({ path: join('docs/pictures', name) })
  await page.close()
}
