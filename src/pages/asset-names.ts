import codeScript from 'asset:./assets/code.js'
import conversationScript from 'asset:./assets/conversation.js'
import formScript from 'asset:./assets/form.js'
import keysScript from 'asset:./assets/keys.js'
import liveScript from 'asset:./assets/live.js'
import runScript from 'asset:./assets/run.js'
import style from 'asset:./assets/style.css'

/** The names of the files, for links. Each has a hash of its bytes: a file never changes under one name. */
export const assetNames = {
  style: `style-${style.hash}.css`,
  keys: `keys-${keysScript.hash}.js`,
  live: `live-${liveScript.hash}.js`,
  form: `form-${formScript.hash}.js`,
  code: `code-${codeScript.hash}.js`,
  conversation: `conversation-${conversationScript.hash}.js`,
  run: `run-${runScript.hash}.js`,
}
