import { asciiAlphanumeric } from 'micromark-util-character'
import type { Construct, Extension, State } from 'micromark-util-types'

const underscore = 95

/** `__init__.py` is a file name: underscores directly before `.py` do not close emphasis. */
export function fileNameSyntax(): Extension {
  return { text: { [underscore]: beforeSuffix } }
}

const beforeSuffix: Construct = {
  name: 'underscoreBeforeSuffix',
  previous: (code) => code !== underscore && code !== null && asciiAlphanumeric(code),
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter('data')
      return run(code)
    }
    function run(code: number | null): State | undefined {
      if (code === underscore) {
        effects.consume(code)
        return run
      }
      effects.exit('data')
      return effects.check(suffix, ok, nok)(code)
    }
  },
}

const suffix: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    const expected = [46, 112, 121]
    let index = 0
    return (code) => {
      effects.enter('data')
      return next(code)
    }
    function next(code: number | null): State | undefined {
      if (index === expected.length) {
        effects.exit('data')
        return code !== null && asciiAlphanumeric(code) ? nok(code) : ok(code)
      }
      if (code !== expected[index]) return nok(code)
      index++
      effects.consume(code)
      return next
    }
  },
}
