/** Programs by what only they have in `User-Agent`: those that call themselves others, too, come first. */
const programs: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

/** Systems, likewise. */
const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

/** The name of a browser as people say it, `Firefox on Linux`, from its `User-Agent` (RFC 9110, section 10.1.5). */
export function browserName(userAgent = ''): string {
  const nameIn = (names: typeof programs) => names.find(([mark]) => mark.test(userAgent))?.[1]
  const [program, system] = [nameIn(programs), nameIn(systems)]
  return `${program ?? 'Another program'}${system === undefined ? '' : ` on ${system}`}`
}
