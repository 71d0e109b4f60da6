/** `PROPERTY_TIMES=20 npx jest test/unit`: every property is tried with so many times as many values. */
const fc = require('fast-check');

const USUAL_RUNS = 100;

exports.multiplyRuns = (times) => {
  const { assert, default: all } = fc;
  const assertMore = (property, { numRuns = USUAL_RUNS, ...options } = {}) =>
    assert(property, { ...options, numRuns: numRuns * times });
  fc.assert = assertMore;
  fc.default = Object.create(all, { assert: { value: assertMore } });
};
