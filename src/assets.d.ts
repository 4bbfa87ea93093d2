/** Files that the bundler turns into strings: no file is read at run time. */
declare module '*.sql' {
  const text: string
  export default text
}

/** The version of the package. */
declare const __VERSION__: string
