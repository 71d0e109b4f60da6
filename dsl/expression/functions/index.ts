import type { FunctionSpec } from './arguments';
import { encodingFunctions } from './encoding';
import { listFunctions } from './list';
import { logicFunctions } from './logic';
import { numberFunctions } from './number';
import { objectFunctions } from './object';
import { regexFunctions } from './regex';
import { textFunctions } from './text';
import { timeFunctions } from './time';

/** Every function of the language by name. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map(
  [
    textFunctions,
    numberFunctions,
    listFunctions,
    objectFunctions,
    timeFunctions,
    encodingFunctions,
    regexFunctions,
    logicFunctions,
  ].flatMap((family) => Object.entries(family)),
);
