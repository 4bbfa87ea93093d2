import { register } from 'node:module'

/** Lets node run a test file as it is: see `one.mjs`. */
register('./support/loader.mjs', import.meta.url)
