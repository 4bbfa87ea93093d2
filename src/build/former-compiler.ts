import type { Plugin } from './folder.ts'

/** Gives the generator of clients the interface of former compilers, which the present one does not have. */
export const formerCompiler: Plugin = {
  name: 'former-compiler',
  setup(build) {
    build.onResolve({ filter: /^typescript$/ }, ({ path }) => ({ path, namespace: 'former-compiler' }))
    build.onLoad({ filter: /.*/, namespace: 'former-compiler' }, () => ({
      contents: "import common from '@ts-morph/common'\nexport default common.ts",
    }))
  },
}
