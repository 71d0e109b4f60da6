import { randomInt } from 'node:crypto';
import { sha256 } from '../../../lib/crypto';
import type { UserDoc } from '../models';

const CODES = 10;
/** Without letters and digits that look alike: 16 of 32 are 80 bits, too many to guess from a hash. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_CHARS = 4;

const group = (): string =>
  Array.from({ length: GROUP_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)] as string).join('');

/** Ten codes such as `ab2c-d3ef-gh4i-jk5m`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join('-'));

/** What is stored of a code, however it was typed. */
export const recoveryHash = (userId: string, code: string): string =>
  sha256(`${userId}\n${code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`);

/** What is stored of a user's codes. */
export const hashedCodes = ({ _id }: Pick<UserDoc, '_id'>, codes: readonly string[]): string[] =>
  codes.map((code) => recoveryHash(_id, code));
