import { type Mend, mending } from './mending.ts'

// What micromark 4.0.3 does in quadratic time and no extension can change; `test/render/linear.test.ts` fails without.

/** For each line of a paragraph that leaves out the marks of its quote or list it looks through all the lines before. */
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

/** It makes the list of all that a text consists of anew for each heading that is underlined, each quote and each list. */
const edits: Mend[] = [
  {
    why: 'What stands before the first edit stays where it is.',
    from: `    vecs.push(events.slice());
    events.length = 0;
`,
    to: '',
  },
]

/** It moves all that follows in a paragraph for each mark in it that is only text. */
const texts: Mend[] = [
  {
    why: 'What joins the text before it leaves a gap.',
    from: `          events.splice(enter + 2, index - enter - 2);
          index = enter + 2;
`,
    to: '          events.fill(undefined, enter + 2, index);\n',
  },
  {
    why: 'The gaps are closed at once.',
    from: '    return extraResolver ? extraResolver(events, context) : events;',
    to: `    let kept = 0;
    for (const event of events) if (event) events[kept++] = event;
    events.length = kept;
    return extraResolver ? extraResolver(events, context) : events;`,
  },
]

/** Mends micromark while it is bundled; what extensions can change is changed in `render/markdown`. */
export const micromark = mending('micromark', {
  'micromark/lib/initialize/document.js': lazyLines,
  'micromark/lib/initialize/text.js': texts,
  'micromark-util-edit-map/index.js': edits,
})
