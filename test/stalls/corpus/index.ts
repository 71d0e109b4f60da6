import type { StallCase } from '../case';
import { data } from './data';
import { evaluations } from './evaluations';
import { http } from './http';
import { language } from './language';
import { starts } from './starts';
import { values } from './values';

/** Every input that has held the main thread, or that was suspected to. */
export const corpus: readonly StallCase[] = [...data, ...language, ...values, ...evaluations, ...starts, ...http];
