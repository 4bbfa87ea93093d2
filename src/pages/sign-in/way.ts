import { type Fields, hiddenFields } from '../form.ts'
import { type Html, html } from '../html.ts'
import { returnPath } from '../session/return-path.ts'
import { type KeptForm, keptIn, keptInputs } from './kept-form.ts'

/** Where a sign-in leads to; its forms carry it from step to step. */
export interface Way {
  /** A page; undefined: it depends on who signs in. */
  next: string | undefined
  /** A form that waits until somebody is signed in. */
  kept?: KeptForm | undefined
}

/** The way in a form that was sent. */
export const wayIn = (body: Fields, host: string): Way => ({
  next: returnPath(body.next, host),
  kept: keptIn(body, host),
})

/** The way as hidden fields of a form. */
export const wayInputs = ({ next, kept }: Way): Html =>
  html`${hiddenFields({ next })}${kept && keptInputs(kept)}`
