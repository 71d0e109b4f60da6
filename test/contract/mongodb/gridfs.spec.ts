import { describeArea } from './runner/suite';

describeArea('gridfs', { passed: 34, skipped: 5, notApplicable: 0, driverOnly: 0 });
