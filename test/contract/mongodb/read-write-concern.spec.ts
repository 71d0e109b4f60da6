import { describeArea } from './runner/suite';

describeArea('read-write-concern', { passed: 10, skipped: 1, notApplicable: 0, driverOnly: 20 });
