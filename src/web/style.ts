/** The style of the reference page; the content security policy allows it by its hash. */
export const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin: 2.5rem 0 0 } h3 { margin: 1.5rem 0 .25rem }
code, .kind { font: 14px/1.5 ui-monospace, monospace }
details { border-bottom: 1px solid var(--line) }
details[open] { padding-bottom: 1rem }
summary { cursor: pointer; padding: .3rem 0 }
summary b { display: inline-block; min-width: 4.5rem; font: bold 13px/1.5 ui-monospace, monospace }
.say { opacity: .75; padding-left: .5rem }
.gone code { text-decoration: line-through }
table { border-collapse: collapse; width: 100%; margin: .25rem 0 .75rem }
td { border-top: 1px solid var(--line); padding: .2rem .75rem .2rem 0; vertical-align: top }
td:first-child { white-space: nowrap }
:target { outline: 2px solid currentColor }
`
