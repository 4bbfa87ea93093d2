import { relative, resolve } from 'node:path'
import { blobOf, textOf } from './blob.ts'
import { loadPaths, type Plugin } from './folder.ts'

/** Where `code-cache.ts` puts what V8 made of the program, in base64, when it is built. */
export const CODE_CACHE_PLACE = 'placeForTheCodeCache'

/**
 * Makes `import * as program from 'program:./file.ts'` the text of a CommonJS bundle of that file, the module without its
 * assets: they stay beside it as `modules`, and the program requires them by those names. So do the files that it has to
 * share with whoever starts it.
 */
export function program(options: { shared: readonly string[] }): Plugin {
  const shared = options.shared.map((file) => resolve(file))
  return {
    name: 'program',
    setup(build) {
      loadPaths(build, 'program', async (path) => {
        const { plugins = [], outdir: _, ...initial } = build.initialOptions
        const { outputFiles, metafile } = await build.esbuild.build({
          ...initial,
          target: 'node20.19',
          banner: {},
          entryPoints: [path],
          plugins: [outside(shared), ...plugins],
          outfile: 'program.cjs',
          write: false,
          metafile: true,
        })
        const names = Object.values(metafile.outputs)
          .flatMap(({ imports }) => imports.map((each) => each.path))
          .filter((name) => assets.test(name) || name.startsWith('./'))
        const watchFiles = Object.keys(metafile.inputs).map((file) => resolve(file))
        return {
          contents: moduleOf(outputFiles[0]?.text ?? '', names),
          resolveDir: process.cwd(),
          watchFiles,
        }
      })
    },
  }
}

const assets = /^(embedded|packed|worker):/

/** Leaves assets and shared files to who starts the program, under names that are the same on every machine. */
const outside = (shared: readonly string[]): Plugin => ({
  name: 'outside',
  setup(build) {
    const named = (dir: string, path: string) => `./${relative('', resolve(dir, path))}`
    build.onResolve({ filter: assets }, ({ path, resolveDir }) => ({
      path: path.startsWith('worker:') ? `worker:${named(resolveDir, path.slice('worker:'.length))}` : path,
      external: true,
    }))
    build.onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) =>
      shared.includes(resolve(resolveDir, path)) ? { path: named(resolveDir, path), external: true } : null,
    )
  },
})

/** In the program `import x from` such a name is all that is required: what the module has as its default, if it has. */
function moduleOf(code: string, names: readonly string[]): string {
  return `${names.map((name, at) => `import * as module${at} from '${name}'`).join('\n')}
const given = (module) => 'default' in module ? module.default : module
export const modules = { ${names.map((name, at) => `'${name}': given(module${at})`).join(', ')} }
export const text = ${textOf(`(function (require, module) {\n${code}\n})`)}
export const host = '${process.version} ${process.arch}'
export const codeCache = ${blobOf(Buffer.from(CODE_CACHE_PLACE, 'base64'))}`
}
