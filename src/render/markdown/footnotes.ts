import { combineHtmlExtensions } from 'micromark-util-combine-extensions'
import { normalizeIdentifier } from 'micromark-util-normalize-identifier'
import type { HtmlExtension } from 'micromark-util-types'
import { cleanId } from '../html/anchor.ts'
import { escapeHtml } from '../html/serialize.ts'

/** A note that is referenced at least once. */
interface Note {
  readonly name: string
  readonly number: number
  calls: number
}

type Notes = Map<string, Note>

/**
 * Footnotes as a list after the text, in the order of their first references. `suffix` keeps the anchors of a comment's
 * preview apart from those of the comment itself.
 */
export function footnoteHtml(suffix: string): HtmlExtension {
  const contents = new Map<string, string>()
  const notes: Notes = new Map()
  return combineHtmlExtensions([definitionHtml(contents), callHtml(notes, suffix), listHtml(notes, contents)])
}

/** Stores the content of each definition; the first one of a name counts. */
function definitionHtml(contents: Map<string, string>): HtmlExtension {
  const open: string[] = []
  return {
    enter: {
      gfmFootnoteDefinition() {
        this.getData('tightStack').push(false)
      },
      gfmFootnoteDefinitionLabelString() {
        this.buffer()
      },
    },
    exit: {
      gfmFootnoteDefinitionLabelString(token) {
        open.push(normalizeIdentifier(this.sliceSerialize(token)))
        this.resume()
        this.buffer()
      },
      gfmFootnoteDefinition() {
        const id = open.pop()
        const content = this.resume()
        if (id !== undefined && !contents.has(id)) contents.set(id, content)
        this.getData('tightStack').pop()
        this.setData('slurpOneLineEnding', true)
        this.setData('lastWasTag')
      },
    },
  }
}

/** Writes the small number that links to the note. */
function callHtml(notes: Notes, suffix: string): HtmlExtension {
  return {
    enter: {
      gfmFootnoteCallString() {
        this.buffer()
      },
    },
    exit: {
      gfmFootnoteCallString(token) {
        this.resume()
        const note = noteOf(notes, normalizeIdentifier(this.sliceSerialize(token)), suffix)
        note.calls++
        const link = `<a href="#${anchor('fn', note.name)}">${note.number} </a>`
        this.tag(`<sup id="${anchor('fnref', note.name, note.calls)}">${link}</sup>`)
      },
    },
  }
}

function noteOf(notes: Notes, id: string, suffix: string): Note {
  const number = notes.size + 1
  const note = notes.get(id) ?? { name: (cleanId(id) || String(number)) + suffix, number, calls: 0 }
  notes.set(id, note)
  return note
}

/** Writes the notes after the text. */
function listHtml(notes: Notes, contents: Map<string, string>): HtmlExtension {
  return {
    exit: {
      null() {
        if (notes.size === 0) return
        this.lineEndingIfNeeded()
        this.tag('<div>\n<hr />\n<ol>\n')
        for (const [id, note] of notes) this.tag(item(note, contents.get(id) ?? ''))
        this.tag('</ol>\n</div>\n')
      },
    },
  }
}

function anchor(kind: 'fn' | 'fnref', name: string, call = 1): string {
  return escapeHtml(`${kind}:user-content-${name}${call > 1 ? `-${call}` : ''}`)
}

/** One note; its back links are at the end of its last paragraph, or after it when it ends otherwise. */
function item(note: Note, content: string): string {
  const calls = Array.from({ length: Math.min(note.calls, 100) }, (_, index) => index + 1)
  const back = calls.map((call) => `<a href="#${anchor('fnref', note.name, call)}">↩︎</a>`).join(' ')
  const body = content.trimEnd()
  const whole = body.endsWith('</p>') ? `${body.slice(0, -4)} ${back}</p>` : `${body}\n${back}`
  return `<li id="${anchor('fn', note.name)}">\n${whole.trimStart()}\n</li>\n`
}
