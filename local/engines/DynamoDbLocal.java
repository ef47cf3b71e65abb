// Starts Amazon's DynamoDB Local on loopback. By itself it listens on every interface and has no option for it, so the
// connector is given its host before the server starts. The port that it got is printed for the process that started it.

import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;

class DynamoDbLocal {
  public static void main(String[] arguments) throws Exception {
    var local = ServerRunner.createServerFromCommandLineArgs(arguments);
    var field = local.getClass().getDeclaredField("server");
    field.setAccessible(true);
    var connector = (ServerConnector) ((Server) field.get(local)).getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    local.start();
    System.out.println("listening on port " + connector.getLocalPort());
    local.join();
  }
}
