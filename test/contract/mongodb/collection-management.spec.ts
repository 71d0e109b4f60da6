import { describeArea } from './runner/suite';

describeArea('collection-management', { passed: 10, skipped: 0, notApplicable: 1, driverOnly: 0 });
