import type { Plugin } from './folder.ts'

/** Bundles the libraries that only tests and scripts use into an ES module, or leaves their imports where that is impossible. */
export const testLibraries: Plugin = {
  name: 'test-libraries',
  setup(build) {
    // Packages in CommonJS (yaml) call require, which an ES module lacks.
    const js = "import{createRequire as _r}from'node:module';const require=_r(import.meta.url);"
    build.initialOptions.banner = { js }
    // These read files next to themselves, or would only make each build longer.
    build.initialOptions.external = ['typescript/*', '@seriousme/*', '@ts-morph/*', 'esbuild', 'tsup']
    // The generator of clients needs the interface of earlier compilers, which the present one lacks.
    build.onResolve({ filter: /^typescript$/ }, ({ path }) => ({ path, namespace: 'former-compiler' }))
    build.onLoad({ filter: /.*/, namespace: 'former-compiler' }, () => ({
      contents: "import common from '@ts-morph/common'\nexport default common.ts",
    }))
  },
}
