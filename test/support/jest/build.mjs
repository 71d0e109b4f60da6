import { build, isStale } from '../../../start/build.mjs';

/** Compiles the product before the tests when a source is newer than its build. */
export default async function setUp() {
  if (isStale()) await build({ checkTypes: false });
}
