import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runBundle } from './code-cache';

// By default V8 lets a small heap grow to four times its live size before a collection. This setting uses 60 MiB less
// under load, at 2 % fewer runs per second with 16 connections. Set first: compiled functions are stored with V8's flags.
setFlagsFromString('--heap-growing-percent=120');

runBundle(join(__dirname, 'program.js'));
