import type { Element } from 'hast'
import { element } from './tree.ts'

/** Our own outline icons on a grid of 16 by 16. */
const outlines = {
  note: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM7.2 7h1.6v5H7.2ZM7.2 4h1.6v1.6H7.2Z',
  tip: 'M8 1a5 5 0 0 1 2.8 9.1V12H5.2v-1.9A5 5 0 0 1 8 1Zm0 1.5a3.5 3.5 0 0 0-1.3 6.7v1.3h2.6V9.2A3.5 3.5 0 0 0 8 2.5ZM5.5 13h5v1.5h-5Z',
  important:
    'M1 2h14v9.5H8.5L5 15v-3.5H1Zm1.5 1.5V10h4v1.5L8 10h5.5V3.5ZM7.2 4.5h1.6v2.6H7.2ZM7.2 7.8h1.6v1.4H7.2Z',
  warning: 'M8 1l7.5 14H.5Zm0 3.2L3 13.5h10ZM7.2 7h1.6v3.4H7.2ZM7.2 11.2h1.6v1.4H7.2Z',
  caution:
    'M5 1h6l4 4v6l-4 4H5l-4-4V5Zm.6 1.5L2.5 5.6v4.8l3.1 3.1h4.8l3.1-3.1V5.6l-3.1-3.1ZM7.2 4.5h1.6v4H7.2ZM7.2 9.7h1.6v1.6H7.2Z',
  table: 'M1 2h14v12H1Zm1.5 1.5v2h11v-2Zm0 3.5v2h4.8V7Zm6.3 0v2h4.7V7Zm-6.3 3.5v2h4.8v-2Zm6.3 0v2h4.7v-2Z',
}

export type IconName = keyof typeof outlines

/** An icon next to a word with the same meaning, so it is hidden from screen readers. */
export function icon(name: IconName, className: string, size: number): Element {
  const path = element('path', { fillRule: 'evenodd', d: outlines[name] })
  return element(
    'svg',
    { className: className.split(' '), viewBox: '0 0 16 16', width: size, height: size, ariaHidden: 'true' },
    path,
  )
}
