import { describeArea } from './runner/suite';

describeArea('index-management', { passed: 1, skipped: 0, notApplicable: 18, driverOnly: 0 });
