// npm run release: everything that a release consists of, in dist/release: the file, one executable for machines like this
// one (not with --no-binary), a package for npm, the list of what is in it (SBOM, CycloneDX), the notices of the libraries, and checksums.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'

const built = resolve('dist/forgehall.cjs')
const release = resolve('dist/release')
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

rmSync(release, { recursive: true, force: true })
mkdirSync(release, { recursive: true })
copyFileSync(built, join(release, 'forgehall.cjs'))
const notices = execFileSync(process.execPath, [built, 'licenses'], { maxBuffer: 64 * 1024 * 1024 })
writeFileSync(join(release, 'NOTICES.txt'), notices)
if (!process.argv.includes('--no-binary')) addExecutable()
addPackage()
addSbom()
addChecksums()

function addExecutable() {
  execFileSync(process.execPath, ['src/build/binary.mjs'], { stdio: 'inherit' })
  const name = process.platform === 'win32' ? 'forgehall.exe' : 'forgehall'
  copyFileSync(resolve('dist', name), join(release, name))
}

/** The libraries are in the file already, so the package depends on none and installs without a registry. */
function addPackage() {
  const { name, version, description, license, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  const folder = join(release, 'package')
  mkdirSync(folder)
  const bin = { forgehall: 'forgehall.cjs' }
  const manifest = {
    name,
    version,
    description,
    license,
    engines,
    bin,
    files: ['forgehall.cjs', 'NOTICES.txt', 'docs'],
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  // npx runs the file itself.
  writeFileSync(join(folder, 'forgehall.cjs'), `#!/usr/bin/env node\n${readFileSync(built, 'utf8')}`, {
    mode: 0o755,
  })
  writeFileSync(join(folder, 'NOTICES.txt'), notices)
  for (const page of ['README.md', 'LICENSE']) if (existsSync(page)) copyFileSync(page, join(folder, page))
  // Without the pictures of the README, which only the front page of the repository shows.
  cpSync('docs', join(folder, 'docs'), {
    recursive: true,
    filter: (path) => path !== join('docs', 'pictures'),
  })
  execFileSync(npm, ['pack', '--silent', '--pack-destination', release], { cwd: folder, stdio: 'ignore' })
  rmSync(folder, { recursive: true })
}

/** `--omit=dev` of npm also leaves out a library that a tool uses too, so the tools are taken out here. */
function addSbom() {
  const words = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  const text = execFileSync(npm, words, { maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] })
  const sbom = JSON.parse(text)
  const isTool = ({ properties = [] }) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development')
  const tools = new Set(sbom.components.filter(isTool).map((component) => component['bom-ref']))
  sbom.components = sbom.components.filter((component) => !tools.has(component['bom-ref']))
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => !tools.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => !tools.has(other)) }))
  writeFileSync(join(release, 'sbom.json'), `${JSON.stringify(sbom, null, 2)}\n`)
}

function addChecksums() {
  const lines = readdirSync(release)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(release, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(release, 'SHA256SUMS'), lines.join(''))
}
