require "json"
require "net/http"

messages = [{ role: "user", content: "What is the capital of Portugal?" }]
url = URI("https://api.openai.com/v1/chat/completions")
puts Net::HTTP.post(url, { model: "gpt-test", messages: }.to_json, "content-type" => "application/json").body
