import { parseMailAddress } from './mail-address';

/** Addresses of OPERATORS, in lower case as accounts are stored. Faults are added to the list. */
export function readOperators(text: (name: string) => string | null, faults: string[]): readonly string[] {
  const given = (text('OPERATORS') ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
  for (const each of given)
    if (parseMailAddress(each)?.address !== each)
      faults.push(`OPERATORS has "${each}", which is no e-mail address; separate addresses by commas`);
  return given;
}
