// npm run pictures: the pictures of the documents, taken of a seeded server with a browser (CHROMIUM, /usr/bin/chromium).
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

/** File name, page, and height of the window in pixels; the later ones are of the administrator. */
const pictures = {
  everybody: [
    ['overview.png', 'overview', 620],
    ['repository.png', 'lighthouse/beacon', 760],
  ],
  administrator: [
    ['editor.png', 'overview/manage', 760],
    ['administration.png', '-/admin', 760],
  ],
}
const password = 'a password for pictures'
const workshop = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 48">
<rect width="64" height="48" fill="#f2b26b"/><circle cx="44" cy="26" r="9" fill="#fbe3b0"/>
<path d="M0 34h64v14H0z" fill="#4a3a5e"/><path d="M8 34V22l10-7 10 7v12z" fill="#2f2540"/></svg>`

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const folder = mkdtempSync(join(tmpdir(), 'forgehall-pictures-'))
const env = {
  ...process.env,
  DATA_DIR: join(folder, 'data'),
  PORT: process.env.PORT ?? '3000',
  DATABASE_URL: '',
  ADMIN_USERNAME: 'administrator',
  ADMIN_PASSWORD: password,
}
const program = 'dist/forgehall.cjs'
const server = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'ignore'] })
try {
  const port = await portOf(server.stdout)
  execFileSync(process.execPath, [program, 'seed'], { env, stdio: 'ignore' })
  mkdirSync('docs/pictures', { recursive: true })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext()
    // The pictures of the demonstration are of a host that there is not.
    await context.route('https://media.example.org/**', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: workshop }),
    )
    for (const picture of pictures.everybody) await take(context, port, picture)
    await signIn(context, port)
    for (const picture of pictures.administrator) await take(context, port, picture)
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

async function signIn(context, port) {
  const page = await context.newPage()
  await page.goto(`http://localhost:${port}/login`)
  await page.fill('#user', env.ADMIN_USERNAME)
  await page.fill('#password', password)
  await page.press('#password', 'Enter')
  await page.waitForURL((address) => address.pathname !== '/login')
  await page.close()
}

async function take(context, port, [name, path, height]) {
  const page = await context.newPage()
  await page.setViewportSize({ width: 1100, height })
  await page.goto(`http://localhost:${port}/${path}`)
  // On a slow machine the first visit shows no last commits of files yet.
  await page.reload()
  await page.screenshot({ path: join('docs/pictures', name) })
  await page.close()
}
