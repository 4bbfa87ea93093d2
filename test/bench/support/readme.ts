const section = (n: number) => `## Part ${n}: what it does

The *engine* reads its [settings](docs/settings.md) once, at start, and **refuses** to run on half of them. See
https://example.org/engine/${n} and \`engine --help\`; ~~no other way~~ is known to @nobody.

It was first a part of the workshop, where it turned the large wheel; when that was replaced, nobody wanted to throw it
away, and so it came to stand in a repository of its own. What it does today is little: it takes in what it is given, turns
it over until nothing loose is left, and hands it on. Whoever wants more of it than that will find the places where more
can be attached, and a page about each of them. It has no opinion on what it is given, and tells nobody.

| name | kind | meaning |
|---|:---:|---|
| PORT | number | where it listens |
| DATA_DIR | path | where it keeps things |

\`\`\`ts
export function turn(wheel: Wheel, times = ${n}): Promise<void> {
  for (let at = 0; at < times; at++) wheel.next(at % 2 === 0 ? 'left' : "right")
  return wheel.settled()
}
\`\`\`

1. Unpack it, :rocket: and read the notes.
2. Run \`npm ci\`, then:
   - [x] build
   - [ ] test, see #${n}

> A quotation that goes on for a line, and says
> nothing new.

`

/** A document of about so many characters, with all that a README usually holds. */
export function readmeOf(characters: number): string {
  const parts = ['# Engine\n\n']
  for (let n = 1, length = 0; length < characters; n++) {
    const part = section(n)
    parts.push(part)
    length += part.length
  }
  return parts.join('').slice(0, characters)
}
