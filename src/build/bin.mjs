#!/usr/bin/env node
// The program of the package that `npm pack` makes here: the built file has no line for shells.
import '../../dist/forgehall.cjs'
