import { describeArea } from './runner/suite';

describeArea('collection-management', { passed: 1, skipped: 9, notApplicable: 1, driverOnly: 0 });
