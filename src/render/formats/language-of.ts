/** Languages of files with these names. */
const byName: Readonly<Record<string, string>> = {
  makefile: 'makefile',
  gnumakefile: 'makefile',
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  'cmakelists.txt': 'cmake',
  jenkinsfile: 'groovy',
  gemfile: 'ruby',
  rakefile: 'ruby',
  vagrantfile: 'ruby',
  'nginx.conf': 'nginx',
  '.bashrc': 'bash',
  '.bash_profile': 'bash',
  '.profile': 'bash',
  '.zshrc': 'bash',
  '.vimrc': 'vim',
  '.editorconfig': 'ini',
  '.gitconfig': 'ini',
  '.gitmodules': 'ini',
  '.npmrc': 'ini',
}

/** Languages of extensions that are not names of languages. */
const byExtension: Readonly<Record<string, string>> = {
  htm: 'xml',
  vue: 'xml',
  svelte: 'xml',
  astro: 'xml',
  cfg: 'ini',
  conf: 'ini',
  service: 'ini',
  fish: 'bash',
  gradle: 'groovy',
  sass: 'scss',
  sbt: 'scala',
  m: 'objectivec',
  psm1: 'powershell',
}

/** The language of a file by its path; undefined if the path does not tell it. It may have no grammar. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : ''
  const known = Object.hasOwn(byName, name) ? byName[name] : undefined
  const named = Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
  return known ?? named ?? (extension || undefined)
}
