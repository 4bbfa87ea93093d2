import { type Patch, patch } from './patch.ts'

/**
 * Faults of Orga 4.7.1 with long documents: its parser recurses for each token of a section, so that two thousand lines
 * overflow the stack, and it searches all lines or copies all tokens for each of them. `test/render/large.test.ts`
 * fails without these patches.
 */
const parser: Patch[] = [
  {
    why: 'A loop instead of calls, which ends where a text lets the parser stand still.',
    from: `    function advance() {
        if (!handler()`,
    to: `    function advance() {
        const start = lexer.save();
        let furthest = start;
        for (let steps = 0; steps < 1000 + 100 * (furthest - start); steps++) {
            const result = step();
            if (result !== undefined) return result;
            furthest = Math.max(furthest, lexer.save());
        }
        throw new Error('it stands still');
    }
    function step() {
        if (!handler()`,
  },
  {
    why: 'A rule of rules.',
    from: `                handlerStack.push(action);
                return advance();`,
    to: `                handlerStack.push(action);
                return;`,
  },
  {
    why: 'An action that gives rules.',
    from: `                handlerStack.push(control);
                return advance();`,
    to: `                handlerStack.push(control);
                return;`,
  },
  {
    why: 'The end of what belongs to a section is told like that of what belongs to the document.',
    from: `                if (lexer.peek() && context.parent.type === 'document') {
                    return lexer.peek().position.start.offset;
                }
                return advance();`,
    to: `                if (lexer.peek() && /^(document|section)$/.test(context.parent.type)) {
                    return lexer.peek().position.start.offset;
                }
                return;`,
  },
  {
    why: 'Rules of which none fits.',
    from: `            handlerStack.pop();
            return advance();
        }
        if (lexer.save()`,
    to: `            handlerStack.pop();
            return;
        }
        if (lexer.save()`,
  },
  {
    why: 'The next step.',
    from: `            maxStaleIterations = 10;
        }
        return advance();`,
    to: `            maxStaleIterations = 10;
        }`,
  },
]

const lexer: Patch[] = [
  {
    why: 'Tokens are added to the list, which is not copied for it.',
    from: '            tokens = tokens.concat(tok());',
    to: '            for (const token of tok()) tokens.push(token);',
  },
]

const inline: Patch[] = [
  {
    why: 'Only where something can begin is asked what does: each question makes a reader.',
    from: `    main: while (getChar()) {
`,
    to: `    main: while (getChar()) {
        if (!/[\\n\\r[\\\\$*=/+_~]/.test(getChar())) {
            eat();
            continue;
        }
`,
  },
]

const reader: Patch[] = [
  {
    why: 'All readers of a text share what is the same for them.',
    from: '	const core = enhance(_core)',
    to: '	const core = (_core.enhanced ??= enhance(_core))',
  },
  {
    why: 'The same: it inherits that instead of copying it.',
    from: `	return {
		...core,
`,
    to: `	return {
		__proto__: core,
`,
  },
]

const lines: Patch[] = [
  {
    why: 'The line of a place is found by halving.',
    from: `		let lineIndex = lines.findIndex((l) => l > index)
		if (lineIndex < 0) {
			lineIndex = lines.length
		}
`,
    to: `		let lineIndex = 0
		for (let end = lines.length; lineIndex < end; ) {
			const middle = (lineIndex + end) >> 1
			if (lines[middle] > index) end = middle
			else lineIndex = middle + 1
		}
`,
  },
]

/** Patches Orga while it is bundled. */
export const orga = patch('orga', {
  'orga/dist/parse/index.js': parser,
  'orga/dist/tokenize/index.js': lexer,
  'orga/dist/tokenize/inline/index.js': inline,
  'text-kit/lib/core.js': lines,
  'text-kit/lib/reader.js': reader,
})
