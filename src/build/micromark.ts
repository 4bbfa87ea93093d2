import { type Patch, patch } from './patch.ts'

// Quadratic algorithms of micromark 4.0.3 that no extension can change; `test/render/linear.test.ts` fails without.

/** For each line of a paragraph without the marks of its quote or list, it searches all the lines before. */
const lazyLines: Patch[] = [
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

/** It copies the list of all events for each underlined heading, each quote and each list. */
const edits: Patch[] = [
  {
    why: 'What stands before the first edit stays where it is.',
    from: `    vecs.push(events.slice());
    events.length = 0;
`,
    to: '',
  },
]

/** For each mark in a paragraph that is only text, it moves all events that follow. */
const texts: Patch[] = [
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

/** Patches micromark while it is bundled; what extensions can change is in `render/markdown`. */
export const micromark = patch('micromark', {
  'micromark/lib/initialize/document.js': lazyLines,
  'micromark/lib/initialize/text.js': texts,
  'micromark-util-edit-map/index.js': edits,
})
