// npm pack, npm publish: a package of this folder would install the libraries that the built file contains already.
console.error(
  'Run "npm run release", and publish dist/release/forgehall-<version>.tgz: it depends on no package.',
)
process.exit(1)
