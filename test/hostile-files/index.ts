import { archives } from './archives';
import { damaged } from './damaged';
import type { HostileFile } from './file';
import { pdfs } from './pdfs';
import { texts } from './texts';

/** All files; the same at each call. */
export const hostileFiles = (): HostileFile[] => [...damaged(), ...archives(), ...pdfs(), ...texts()];
