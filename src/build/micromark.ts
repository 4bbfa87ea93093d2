import { type Mend, mending } from './mending.ts'

/**
 * What micromark 4.0.3 does in quadratic time and no extension can change: for each line of a paragraph that leaves out
 * the marks of its quote or list it looks through all the lines before.
 * `test/render/linear.test.ts` fails without this.
 */
const lazyLines: Mend[] = [
  {
    why: 'The search for what is still open begins where the last one found it: all before has ended.',
    from: `      let index = childFlow.events.length;
      while (index--) {
        if (`,
    to: `      let index = childFlow.settled ?? 0;
      for (; index < childFlow.events.length; index++) {
        if (`,
  },
  {
    why: 'The place where it found it.',
    from: `          // part of something.
          return;`,
    to: `          // part of something.
          childFlow.settled = index;
          return;`,
  },
]

/** Mends micromark while it is bundled; what extensions can change is changed in `render/markdown`. */
export const micromark = mending('micromark', { 'micromark/lib/initialize/document.js': lazyLines })
