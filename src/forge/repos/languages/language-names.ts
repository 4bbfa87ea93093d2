/** Languages of programs and of markup by the extensions of their files, named as the original names them. */
const extensions: Readonly<Record<string, string>> = {
  Assembly: 'asm s',
  Batchfile: 'bat cmd',
  C: 'c h',
  'C#': 'cs',
  'C++': 'cc cpp cxx hh hpp hxx',
  CMake: 'cmake',
  CSS: 'css',
  Clojure: 'clj cljs cljc',
  CoffeeScript: 'coffee',
  'Common Lisp': 'lisp lsp',
  Crystal: 'cr',
  Dart: 'dart',
  Elixir: 'ex exs',
  Elm: 'elm',
  'Emacs Lisp': 'el',
  Erlang: 'erl hrl',
  'F#': 'fs fsi fsx',
  Fortran: 'f f90 f95',
  GLSL: 'glsl frag vert',
  Gleam: 'gleam',
  Go: 'go',
  Groovy: 'groovy gradle',
  HCL: 'tf hcl',
  HTML: 'html htm',
  Haskell: 'hs',
  Java: 'java',
  JavaScript: 'js cjs mjs jsx',
  Julia: 'jl',
  'Jupyter Notebook': 'ipynb',
  Kotlin: 'kt kts',
  Less: 'less',
  Lua: 'lua',
  Mustache: 'mustache',
  Nim: 'nim',
  Nix: 'nix',
  OCaml: 'ml mli',
  'Objective-C': 'm',
  PHP: 'php',
  Pascal: 'pas pp',
  Perl: 'pl pm',
  PowerShell: 'ps1 psm1',
  Prolog: 'pro prolog',
  Python: 'py pyi',
  R: 'r',
  Racket: 'rkt',
  Ruby: 'rb',
  Rust: 'rs',
  SCSS: 'scss',
  Sass: 'sass',
  Scala: 'scala sc',
  Scheme: 'scm ss',
  Shell: 'sh bash zsh',
  Solidity: 'sol',
  Svelte: 'svelte',
  Swift: 'swift',
  SystemVerilog: 'sv',
  Tcl: 'tcl',
  TeX: 'tex sty',
  TypeScript: 'ts cts mts tsx',
  VHDL: 'vhd vhdl',
  Verilog: 'v',
  'Vim Script': 'vim',
  'Visual Basic .NET': 'vb',
  Vue: 'vue',
  WebAssembly: 'wat wast',
  Zig: 'zig',
}

/** The same by whole names of files. */
const names: Readonly<Record<string, string>> = {
  CMake: 'CMakeLists.txt',
  Dockerfile: 'Dockerfile Containerfile',
  Makefile: 'Makefile makefile GNUmakefile',
  Ruby: 'Gemfile Rakefile',
}

const namesByItem = (items: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(items).flatMap(([name, all]) => all.split(' ').map((each) => [each, name] as const)))

const byExtension = namesByItem(extensions)
const byName = namesByItem(names)

/** The language of a file by its path; undefined for data, prose and unknown files. */
export function languageOf(path: string): string | undefined {
  const file = path.slice(path.lastIndexOf('/') + 1)
  const dot = file.lastIndexOf('.')
  return byName.get(file) ?? (dot > 0 ? byExtension.get(file.slice(dot + 1).toLowerCase()) : undefined)
}
