package main

import (
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := `{"model":"gpt-test","messages":[{"role":"user","content":"What is the capital of Portugal?"}]}`
	response, err := http.Post("https://api.openai.com/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, response.Body)
}
