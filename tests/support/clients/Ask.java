import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

public class Ask {
  static final URI url = URI.create("https://api.openai.com/v1/chat/completions");

  static String body(String prompt) {
    return "{\"model\":\"gpt-test\",\"messages\":[{\"role\":\"user\",\"content\":\"" + prompt + "\"}]}";
  }

  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(url).header("content-type", "application/json");
    var question = request.POST(BodyPublishers.ofString(body("What is the capital of Portugal?"))).build();
    System.out.println(HttpClient.newHttpClient().send(question, BodyHandlers.ofString()).body());
    var connection = (HttpURLConnection) url.toURL().openConnection();
    connection.setDoOutput(true);
    connection.setRequestProperty("content-type", "application/json");
    try (OutputStream out = connection.getOutputStream()) {
      out.write(body("And of Spain?").getBytes());
    }
    System.out.write(connection.getInputStream().readAllBytes());
    System.out.flush();
  }
}
