// Preloaded into the server when it is built: at its end it writes what V8 has made of the program until then, with all
// functions that a start and a stop need, to the file that CODE_CACHE names.
import { writeFileSync } from 'node:fs'
import v8 from 'node:v8'
import vm from 'node:vm'

// V8 takes back only what was made with the settings that it has when it is asked to: those that it comes with.
v8.setFlagsFromString = () => {}

const { Script } = vm
vm.Script = class extends Script {
  constructor(...args) {
    super(...args)
    process.on('exit', () => writeFileSync(process.env.CODE_CACHE, this.createCachedData()))
  }
}
