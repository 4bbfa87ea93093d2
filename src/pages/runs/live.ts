import { html } from '../html.ts'

/** Where the script says that it keeps a page of a run up to date. */
export const liveNote = html`<p class="live run-live" role="status" id="live-note"></p>`
