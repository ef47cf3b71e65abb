// The first admin key as an SSM parameter: a SecureString, which costs nothing and is encrypted with the account's own key for SSM.

import {
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm'

export class SsmAdminKey {
  readonly #name: string
  readonly #client = new SSMClient()

  constructor(name: string) {
    this.#name = name
  }

  async read(): Promise<string | null> {
    try {
      const { Parameter } = await this.#client.send(new GetParameterCommand({ Name: this.#name, WithDecryption: true }))
      return Parameter?.Value ?? null
    } catch (error) {
      if (error instanceof ParameterNotFound) return null
      throw error
    }
  }

  async create(text: string): Promise<boolean> {
    try {
      await this.#client.send(
        new PutParameterCommand({ Name: this.#name, Value: text, Type: 'SecureString', Overwrite: false }),
      )
      return true
    } catch (error) {
      if (error instanceof ParameterAlreadyExists) return false
      throw error
    }
  }
}
