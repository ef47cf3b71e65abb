// Requests that make sense and cannot be met: what is asked for is not there, or is no longer what it was.

export class NotFound extends Error {
  constructor(kind: string, name: string) {
    super(`there is no ${kind} ${name}. Check its name and namespace`)
    this.name = 'NotFound'
  }
}

export class Conflict extends Error {
  readonly currentVersion: number

  constructor(jobId: string, currentVersion: number, problem = 'was changed since it was read') {
    super(`job ${jobId} ${problem}; its version is ${currentVersion}. Read it again and repeat the change`)
    this.name = 'Conflict'
    this.currentVersion = currentVersion
  }
}
